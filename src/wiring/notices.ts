/** What the first screen says of who answers, and how to get a better one. */
export function noticesFor(label: string): string[] {
  if (label !== "offline") return [];
  return [
    "No key and no server is configured: the built-in offline model answers. It is no language model, but it really searches, reads, edits and runs.",
    "For a real model set ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL / OPENAI_BASE_URL for a server of your own (Ollama, LM Studio, llama.cpp), and start again.",
  ];
}
