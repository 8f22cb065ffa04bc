/** The system calls that a confined command is refused. */

/** bubblewrap reads the system call filter from this file descriptor. */
export const filterDescriptor = "9";

export const filterArguments = ["--seccomp", filterDescriptor];

/** Command prefix that opens the filter file for bubblewrap. */
export const withFilter = (file: string): string[] => [
  "/bin/sh",
  "-c",
  `exec "$@" ${filterDescriptor}<"$0"`,
  file,
];

/** Argument tests, by BPF opcode; `lacksBit` inverts `hasBit`. */
const [equals, hasBit, lacksBit] = [0x15, 0x45, -1];

/** AF_VSOCK: reaches the host of a virtual machine, and its guests. */
const virtualMachines = 40;

/** The set-user-id bit: the file runs as its owner. */
const setUserId = 0o4000;

/** A call that is refused with some arguments. */
type Condition = readonly [number: number, argument: number, test: number, value: number];

const conditionsOf = (socket: number, chmod: number | null, fchmod: number, fchmodat: number) => {
  const conditions: Condition[] = [
    [socket, 0, equals, virtualMachines],
    [fchmod, 1, hasBit, setUserId],
    [fchmodat, 2, hasBit, setUserId],
    [452, 2, hasBit, setUserId],
  ];
  return chmod === null ? conditions : [...conditions, [chmod, 1, hasBit, setUserId] as const];
};

/**
 * By audit architecture: the numbers of add_key, request_key, keyctl, io_uring_setup and socketcall, and calls that
 * are refused with some arguments.
 */
const calls: readonly (readonly [number, readonly number[], readonly Condition[]])[] = [
  [0xc000003e, [248, 249, 250, 425], conditionsOf(41, 90, 91, 268)],
  [0x40000003, [286, 287, 288, 425, 102], conditionsOf(359, 15, 94, 306)],
  [0xc00000b7, [217, 218, 219, 425], conditionsOf(198, null, 52, 53)],
  [0x40000028, [309, 310, 311, 425], conditionsOf(281, 15, 94, 333)],
];

/** Error numbers. */
const [notPermitted, noSuchCall] = [1, 38];

const [cloneThread, mapShared] = [0x10000, 0x1];

/**
 * Calls that a script never needs: sockets, processes, shared or uncounted memory, namespaces, and access to other
 * processes.
 */
const cellCalls: typeof calls = [
  [
    0xc000003e,
    [
      29, 41, 53, 57, 58, 64, 68, 101, 165, 240, 272, 298, 308, 319, 321, 323, 425, 428, 430, 435,
      447,
    ],
    [
      [56, 0, lacksBit, cloneThread],
      [9, 3, hasBit, mapShared],
    ],
  ],
  [
    0xc00000b7,
    [40, 97, 117, 180, 186, 190, 194, 198, 199, 241, 268, 279, 280, 282, 425, 428, 430, 435, 447],
    [
      [220, 0, lacksBit, cloneThread],
      [222, 3, hasBit, mapShared],
    ],
  ],
];

/** The x32 ABI repeats the calls from here on. */
const otherNumbers = 0x4000_0000;

/**
 * A seccomp program that refuses what no namespace separates: the kernel keyring, virtual machines and set-user-id
 * bits. A `cell` may do less, and only as a program of this machine's architecture.
 */
export function callFilter(whose: "command" | "cell" = "command"): Uint8Array {
  const isCell = whose === "cell";
  const [load, isLeast, answer] = [0x20, 0x35, 0x06];
  const allow = 0x7fff0000;
  // ENOSYS makes libraries fall back to another call.
  const refuse = 0x00050000 + (isCell ? noSuchCall : notPermitted);
  const [numberAt, architectureAt, argumentsAt] = [0, 4, 16];
  const code: (readonly [code: number, ifTrue: number, ifFalse: number, value: number])[] = [];
  const to = (at: number): number => at - code.length - 1;
  for (const [architecture, numbers, conditions] of isCell ? cellCalls : calls) {
    const allowed = code.length + 4 + numbers.length + 3 * conditions.length;
    const refused = allowed + 1;
    code.push([load, 0, 0, architectureAt]);
    code.push([equals, 0, to(refused + 1), architecture]);
    code.push([load, 0, 0, numberAt]);
    code.push([isLeast, to(refused), 0, otherNumbers]);
    for (const number of numbers) code.push([equals, to(refused), 0, number]);
    for (const [number, argument, test, value] of conditions) {
      code.push([equals, 0, 2, number]);
      code.push([load, 0, 0, argumentsAt + 8 * argument]);
      if (test === lacksBit) code.push([hasBit, to(allowed), to(refused), value]);
      else code.push([test, to(refused), to(allowed), value]);
    }
    code.push([answer, 0, 0, allow]);
    code.push([answer, 0, 0, refuse]);
  }
  code.push([answer, 0, 0, isCell ? refuse : allow]);
  const bytes = new DataView(new ArrayBuffer(code.length * 8));
  for (const [at, [operation, ifTrue, ifFalse, value]] of code.entries()) {
    bytes.setUint16(at * 8, operation, true);
    bytes.setUint8(at * 8 + 2, ifTrue);
    bytes.setUint8(at * 8 + 3, ifFalse);
    bytes.setUint32(at * 8 + 4, value, true);
  }
  return new Uint8Array(bytes.buffer);
}
