/** Commands that always need approval: hard to undo, or with effects on other people. */

import { asked, type Danger } from "./level.ts";

/** Programs, what their arguments look like, and why that is asked about. */
const warnings: [programs: string, args: RegExp, why: string][] = [
  [
    "docker podman",
    /\b(?:prune|rmi|rm|kill|down\b.*(?:-v|--volumes)|volume rm)\b/,
    "deletes containers, images or volumes",
  ],
  ["docker-compose", /\bdown\b.*(?:-v|--volumes)/, "deletes containers and volumes"],
  [
    "kubectl oc helm",
    /\b(?:delete|drain|uninstall|rollback|scale|replace)\b/,
    "changes or deletes what runs in a cluster",
  ],
  [
    "terraform tofu pulumi cdk serverless sls",
    /\b(?:destroy|apply|up|deploy|remove)\b/,
    "changes or deletes infrastructure",
  ],
  [
    "aws gcloud az heroku fly flyctl doctl",
    /\b(?:rm|rb|delete\S*|terminate\S*|destroy\S*|remove\S*|deregister\S*|purge)\b/,
    "deletes resources in the cloud",
  ],
  [
    "gh",
    /\b(?:delete|archive|close|merge|revoke)\b|-X\s*(?:DELETE|PUT|PATCH|POST)/i,
    "changes or deletes things on GitHub",
  ],
  [
    "npm pnpm yarn bun cargo gem twine poetry",
    /^(?:unpublish|publish|yank|push|upload|deprecate|owner)\b/,
    "publishes or unpublishes a package",
  ],
  [
    "psql mysql mariadb sqlite sqlite3 mongo mongosh redis-cli cockroach clickhouse-client",
    /\b(?:drop|truncate|delete\s+from|dropDatabase|flushall|flushdb|deleteMany)\b/i,
    "deletes data in a database",
  ],
  ["dropdb dropuser mysqladmin", /^/, "deletes a database"],
  [
    "rails rake prisma artisan manage.py sequelize knex alembic",
    /db:(?:drop|reset|purge|migrate:reset)|migrate reset|migrate:fresh|flush|db push --force|downgrade/,
    "deletes data in a database",
  ],
  ["userdel deluser groupdel passwd usermod visudo chpasswd", /^/, "changes user accounts"],
  [
    "iptables ip6tables nft ufw route ifconfig ip",
    /-F|flush|delete|disable|down|\bdel\b|reset/i,
    "changes the machine's network",
  ],
  ["crontab", /^(?!-l$)/, "changes scheduled jobs"],
  ["mount umount swapoff losetup insmod rmmod modprobe", /\S/, "changes disks or the kernel"],
  [
    "apt apt-get dnf yum pacman zypper apk brew snap",
    /\b(?:remove|purge|autoremove|erase|uninstall|-R\w*|del)\b/,
    "removes software from the machine",
  ],
  [
    "service launchctl rc-service",
    /\b(?:stop|restart|unload|remove|bootout)\b/,
    "controls system services",
  ],
  ["history", /-[cw]/, "deletes the shell's history"],
  ["chmod", /\b0?777\b|[+=]s|\b[2467]\d{3}\b/, "gives other users access (chmod)"],
];

export function warningFor(name: string, args: readonly string[]): Danger | null {
  const text = args.join(" ");
  const found = warnings.find(
    ([programs, pattern]) => programs.split(" ").includes(name) && pattern.test(text),
  );
  return found ? asked(found[2]) : null;
}
