/** What a program does with the Agent SDK, and what it receives. */

type Message = { type: string; subtype?: string; [key: string]: unknown };
type Query = AsyncIterable<Message> & {
  interrupt(): Promise<unknown>;
  setModel(model?: string): Promise<void>;
  setPermissionMode(mode: string): Promise<void>;
  supportedModels(): Promise<unknown[]>;
  supportedCommands(): Promise<unknown[]>;
  mcpServerStatus(): Promise<unknown[]>;
};
type Sdk = {
  query(options: { prompt: string | AsyncIterable<object>; options: object }): Query;
  createSdkMcpServer(options: object): object;
  tool(name: string, text: string, schema: object, run: (input: object) => Promise<object>): object;
};

const only = process.argv[3];

// The SDK is installed at run time, so the type checker does not have its types.
const toSdk = (module: unknown): Sdk => module as Sdk;

export async function scenarios(module: unknown, common: object, zodPath: string): Promise<void> {
  const sdk = toSdk(module);
  const { z } = await import(zodPath);
  const run = async (
    name: string,
    prompt: string | AsyncIterable<object>,
    options: object = {},
    on?: (query: Query, message: Message) => Promise<void> | void,
  ): Promise<Message[]> => {
    const messages: Message[] = [];
    if (only !== undefined && !name.includes(only)) return messages;
    console.log(`\n## ${name}`);
    const query = sdk.query({ prompt, options: { ...common, ...options } });
    try {
      for await (const message of query) {
        messages.push(message);
        console.log(describeMessage(message));
        await on?.(query, message);
      }
    } catch (error) {
      console.log(`threw: ${error instanceof Error ? error.message : error}`);
    }
    return messages;
  };

  const first = await run("a prompt", "hi");
  const session = first.at(-1)?.["session_id"];
  await run("resume keeps the id", "hi again", { resume: session });
  await run("fork makes another", "and again", { resume: session, forkSession: true });
  await run("a call that needs no approval", 'CALL Read {"file_path":"notes.txt"}');
  await run("partial messages", "hi", { includePartialMessages: true });
  await run("canUseTool allows with another input", 'CALL Bash {"command":"touch a"}', {
    canUseTool: async (tool: string, input: object) => {
      console.log(`  asked: ${tool} ${JSON.stringify(input)}`);
      return { behavior: "allow", updatedInput: { command: "touch b && echo changed" } };
    },
  });
  await run("canUseTool denies", 'CALL Bash {"command":"touch c"}', {
    canUseTool: async () => ({ behavior: "deny", message: "Not today." }),
  });
  await run("a PreToolUse hook denies", 'CALL Bash {"command":"ls"}', {
    hooks: {
      PreToolUse: [
        {
          matcher: "Bash",
          hooks: [
            async (input: { tool_name: string }) => {
              console.log(`  hook: ${input.tool_name}`);
              return {
                hookSpecificOutput: {
                  hookEventName: "PreToolUse",
                  permissionDecision: "deny",
                  permissionDecisionReason: "No shell here.",
                },
              };
            },
          ],
        },
      ],
    },
  });
  const server = sdk.createSdkMcpServer({
    name: "local",
    version: "1.0.0",
    tools: [
      sdk.tool("add", "Adds two numbers", { a: z.number(), b: z.number() }, async (input) => {
        console.log(`  in this process: ${JSON.stringify(input)}`);
        return { content: [{ type: "text", text: "5" }] };
      }),
    ],
  });
  await run("a server in this process", 'CALL mcp__local__add {"a":2,"b":3}', {
    mcpServers: { local: server },
    allowedTools: ["mcp__local__add"],
  });
  await run(
    "a subagent of the program",
    'CALL Agent {"description":"Look","prompt":"hi","subagent_type":"scout"}',
    {
      agents: {
        scout: { description: "Looks around", prompt: "You are a scout.", tools: ["Read"] },
      },
    },
  );
  const reported = Promise.withResolvers<void>();
  // Input that ends earlier takes the way of an answer with it.
  async function* untilReported(): AsyncGenerator<object> {
    yield userMessage(
      'CALL Agent {"description":"Make d","prompt":"MAKE d","subagent_type":"general-purpose","run_in_background":true}',
    );
    await reported.promise;
  }
  await run(
    "a subagent in the background, which the program answers",
    untilReported(),
    {
      canUseTool: async (tool: string, input: object, { agentID }: { agentID?: string }) => {
        console.log(`  asked: ${tool} ${JSON.stringify(input)} by ${agentID}`);
        return { behavior: "allow", updatedInput: input };
      },
    },
    (_, message) => {
      if (message.subtype === "task_notification") reported.resolve();
    },
  );
  await run("an answer in a required form", 'CALL StructuredOutput {"files":1}', {
    outputFormat: {
      type: "json_schema",
      schema: { type: "object", properties: { files: { type: "number" } }, required: ["files"] },
    },
  });
  await run("at most one call", 'CALL Read {"file_path":"notes.txt"}', { maxTurns: 1 });
  await run("plan mode writes nothing", 'CALL Write {"file_path":"x","content":"y"}', {
    permissionMode: "plan",
  });

  async function* conversation(): AsyncGenerator<object> {
    yield userMessage("hi");
    await inTurn(1);
    yield userMessage('CALL Bash {"command":"sleep 30"}');
    await inTurn(2);
    yield userMessage("Talk AT LENGTH");
    await inTurn(3);
    yield userMessage("and again");
    await inTurn(4);
    yield userMessage("/compact what was said");
    await inTurn(5);
  }
  let results = 0;
  let wake = (): void => undefined;
  const inTurn = async (count: number): Promise<void> => {
    while (results < count) await new Promise<void>((resolve) => (wake = resolve));
  };
  await run(
    "streaming input, control requests, interrupt, compact",
    conversation(),
    { permissionMode: "bypassPermissions", allowDangerouslySkipPermissions: true },
    async (query, message) => {
      if (message.type === "result" && ++results === 1) {
        console.log(`  models: ${(await query.supportedModels()).length}`);
        console.log(`  commands: ${(await query.supportedCommands()).length}`);
        console.log(`  servers: ${JSON.stringify(await query.mcpServerStatus())}`);
        await query.setModel("haiku");
        await query.setPermissionMode("acceptEdits");
        await query.setPermissionMode("bypassPermissions");
      }
      if (message.type === "assistant" && results === 1) await query.interrupt();
      wake();
    },
  );
}

const userMessage = (content: string) => {
  return {
    type: "user",
    session_id: "",
    parent_tool_use_id: null,
    message: { role: "user", content },
  };
};

function describeMessage(message: Message): string {
  const { type, subtype, ...rest } = message;
  const short = JSON.stringify(rest, (key, value) =>
    /^(uuid|session_id|usage|modelUsage|tools|id)$/.test(key) ? undefined : value,
  );
  return `${type}${subtype === undefined ? "" : `/${subtype}`} ${short.slice(0, 220)}`;
}
