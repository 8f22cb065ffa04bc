/** The mutation operators: small faults that a good test suite notices. */

import { parseSync, Visitor, type Expression, type Span } from "oxc-parser";

/** Replaces the characters from `start` to `end` by `text`. */
export type Edit = { start: number; end: number; text: string };

const swapped: Record<string, string[]> = {
  "<": ["<=", ">="],
  "<=": ["<", ">"],
  ">": [">=", "<="],
  ">=": [">", "<"],
  "===": ["!=="],
  "!==": ["==="],
  "+": ["-"],
  "-": ["+"],
  "*": ["/"],
  "/": ["*"],
  "%": ["*"],
  "&&": ["||"],
  "||": ["&&"],
};

/** Calls that refine a value; without them the value is still of the same type. */
const refinements = /^(filter|sort|toSorted|reverse|slice|trim\w*|toWellFormed|toLowerCase)$/;

/** Every mutation of a TypeScript source, in no particular order. */
export function findEdits(file: string, source: string): Edit[] {
  const { program, errors } = parseSync(file, source);
  if (errors[0]) throw new Error(`${file}: ${errors[0].message}`);
  const edits: Edit[] = [];
  const types = new Set<Span>();
  const constants: Span[] = [];
  const isPartOfConstant = (node: Span): boolean =>
    constants.some(({ start, end }) => start <= node.start && node.end <= end);
  const yielded = new Set<Span>();
  const spreadInObjects = new Set<Span>();
  const replace = ({ start, end }: Span, text: string): void =>
    void edits.push({ start, end, text });
  const readText = ({ start, end }: Span): string => source.slice(start, end);
  const negate = (test: Expression): void => {
    // These conditions are negated by other mutations.
    if (test.type === "UnaryExpression") return;
    if (test.type === "BinaryExpression" && /^[!=]==$/.test(test.operator)) return;
    replace(test, `!(${readText(test)})`);
  };
  const swap = (left: Span, operator: string, right: Span): void => {
    const start = source.indexOf(operator, left.end);
    const between = { start, end: start + operator.length };
    if (between.end > right.start) return;
    for (const other of swapped[operator] ?? []) replace(between, other);
  };
  const empty = (block: Span & { body: readonly unknown[] }): void => {
    if (block.body.length > 0) replace(block, "{}");
  };

  new Visitor({
    BinaryExpression(node) {
      const product = /^[\d_]+( \* [\d_]+)+$/.exec(readText(node))?.[0];
      if (product === undefined) return swap(node.left, node.operator, node.right);
      // A size such as 4 * 1024 * 1024 is one constant.
      if (!isPartOfConstant(node)) {
        constants.push(node);
        replace(node, `${product} + 1`);
      }
    },
    LogicalExpression(node) {
      if (node.operator === "??") replace(node, readText(node.right));
      else swap(node.left, node.operator, node.right);
    },
    UnaryExpression(node) {
      if (types.has(node)) return;
      if (node.operator === "!" || node.operator === "-") replace(node, readText(node.argument));
    },
    TSLiteralType: ({ literal }) => void types.add(literal),
    Literal(node) {
      if (types.has(node) || isPartOfConstant(node)) return;
      if (typeof node.value === "number") replace(node, String(node.value + 1));
      if (typeof node.value === "boolean") replace(node, String(!node.value));
    },
    ObjectExpression({ properties }) {
      for (const property of properties) {
        if (property.type === "SpreadElement") spreadInObjects.add(property.argument);
      }
    },
    YieldExpression: ({ argument }) => void (argument && yielded.add(argument)),
    AwaitExpression(node) {
      // An async generator awaits what it yields.
      if (!yielded.has(node)) replace(node, readText(node.argument));
    },
    CallExpression(node) {
      const { callee } = node;
      if (callee.type !== "MemberExpression" || callee.property.type !== "Identifier") return;
      const { name } = callee.property;
      if (refinements.test(name)) replace(node, readText(callee.object));
      if (name === "min" || name === "max")
        replace(callee.property, name === "min" ? "max" : "min");
    },
    SpreadElement: ({ argument }) => replace(argument, spreadInObjects.has(argument) ? "{}" : "[]"),
    ExpressionStatement(node) {
      if (!node.directive) replace(node, ";");
    },
    IfStatement(node) {
      negate(node.test);
      if (!node.alternate) return replace(node, ";");
      replace(node.alternate, "{}");
      if (node.consequent.type === "BlockStatement") empty(node.consequent);
    },
    ConditionalExpression: ({ test }) => negate(test),
    WhileStatement: ({ body }) => void (body.type === "BlockStatement" && empty(body)),
    ForStatement: ({ body }) => void (body.type === "BlockStatement" && empty(body)),
    ForOfStatement: ({ body }) => void (body.type === "BlockStatement" && empty(body)),
    CatchClause: ({ body }) => empty(body),
    TryStatement: ({ finalizer }) => void (finalizer && empty(finalizer)),
    FunctionDeclaration: ({ body }) => void (body && empty(body)),
    FunctionExpression: ({ body }) => void (body && empty(body)),
    ArrowFunctionExpression: ({ body }) => void (body.type === "BlockStatement" && empty(body)),
  }).visit(program);
  return edits;
}
