/** Folders with commands and skills, in a project or in a home, the weaker ones first. */
export const promptFolders = {
  command: [".claude/commands", ".mini-claude/commands"],
  skill: [".agents/skills", ".claude/skills", ".mini-claude/skills"],
} as const;
