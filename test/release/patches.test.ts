import { heapStats } from "bun:jsc";
import { expect, test } from "bun:test";
import { FlexDirection, loadYoga } from "yoga-layout/load";

test("the layout engine begins with little memory and takes more when it needs it", async () => {
  const outsideHeapMib = (): number => {
    Bun.gc(true);
    return heapStats().extraMemorySize / 1024 ** 2;
  };
  const before = outsideHeapMib();
  const { Node } = await loadYoga();
  expect(outsideHeapMib() - before).toBeLessThan(4);

  const rows = 20_000;
  const root = Node.create();
  root.setFlexDirection(FlexDirection.Column);
  for (let n = 0; n < rows; n++) {
    const row = Node.create();
    row.setHeight(1);
    root.insertChild(row, n);
  }
  root.calculateLayout(80, undefined);
  expect(root.getChild(rows - 1).getComputedTop()).toBe(rows - 1);
});
