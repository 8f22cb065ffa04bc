/** Commands that always need approval: hard to undo, or with effects on other people. */

import { asked, type Danger } from "./level.ts";

type Warning = { program: RegExp; args: RegExp; why: string };

const warnings: Warning[] = [
  { program: /^(?:sudo|doas|su|pkexec|runuser)$/, args: /^/, why: "runs as another user (sudo)" },
  {
    program: /^(?:docker|podman)$/,
    args: /\b(?:prune|rmi|rm|kill|down\b.*(?:-v|--volumes)|volume rm)\b/,
    why: "deletes containers, images or volumes",
  },
  {
    program: /^docker-compose$/,
    args: /\bdown\b.*(?:-v|--volumes)/,
    why: "deletes containers and volumes",
  },
  {
    program: /^(?:kubectl|oc|helm)$/,
    args: /\b(?:delete|drain|uninstall|rollback|scale|replace)\b/,
    why: "changes or deletes what runs in a cluster",
  },
  {
    program: /^(?:terraform|tofu|pulumi|cdk|serverless|sls)$/,
    args: /\b(?:destroy|apply|up|deploy|remove)\b/,
    why: "changes or deletes infrastructure",
  },
  {
    program: /^(?:aws|gcloud|az|heroku|fly|flyctl|doctl)$/,
    args: /\b(?:rm|rb|delete\S*|terminate\S*|destroy\S*|remove\S*|deregister\S*|purge)\b/,
    why: "deletes resources in the cloud",
  },
  {
    program: /^gh$/,
    args: /\b(?:delete|archive|close|merge|revoke)\b|-X\s*(?:DELETE|PUT|PATCH|POST)/i,
    why: "changes or deletes things on GitHub",
  },
  {
    program: /^(?:npm|pnpm|yarn|bun|cargo|gem|twine|poetry)$/,
    args: /^(?:unpublish|publish|yank|push|upload|deprecate|owner)\b/,
    why: "publishes or unpublishes a package",
  },
  {
    program: /^(?:psql|mysql|mariadb|sqlite3?|mongosh?|redis-cli|cockroach|clickhouse-client)$/,
    args: /\b(?:drop|truncate|delete\s+from|dropDatabase|flushall|flushdb|deleteMany)\b/i,
    why: "deletes data in a database",
  },
  { program: /^(?:dropdb|dropuser|mysqladmin)$/, args: /^/, why: "deletes a database" },
  {
    program: /^(?:rails|rake|prisma|artisan|manage\.py|sequelize|knex|alembic)$/,
    args: /db:(?:drop|reset|purge|migrate:reset)|migrate reset|migrate:fresh|flush|db push --force|downgrade/,
    why: "deletes data in a database",
  },
  {
    program: /^(?:userdel|deluser|groupdel|passwd|usermod|visudo|chpasswd)$/,
    args: /^/,
    why: "changes user accounts",
  },
  {
    program: /^(?:iptables|ip6tables|nft|ufw|route|ifconfig|ip)$/,
    args: /-F|flush|delete|disable|down|\bdel\b|reset/i,
    why: "changes the machine's network",
  },
  { program: /^crontab$/, args: /^(?!-l$)/, why: "changes scheduled jobs" },
  {
    program: /^(?:mount|umount|swapoff|losetup|insmod|rmmod|modprobe)$/,
    args: /\S/,
    why: "changes disks or the kernel",
  },
  {
    program: /^(?:apt|apt-get|dnf|yum|pacman|zypper|apk|brew|snap)$/,
    args: /\b(?:remove|purge|autoremove|erase|uninstall|-R\w*|del)\b/,
    why: "removes software from the machine",
  },
  {
    program: /^(?:service|launchctl|rc-service)$/,
    args: /\b(?:stop|restart|unload|remove|bootout)\b/,
    why: "controls system services",
  },
  { program: /^(?:history)$/, args: /-[cw]/, why: "deletes the shell's history" },
  {
    program: /^chmod$/,
    args: /\b0?777\b|[+=]s|\b[2467]\d{3}\b/,
    why: "gives other users access (chmod)",
  },
];

export function warningFor(name: string, args: readonly string[]): Danger | null {
  const text = args.join(" ");
  const found = warnings.find((one) => one.program.test(name) && one.args.test(text));
  return found ? asked(found.why) : null;
}
