/** Which of a graph's nodes lead back to themselves, by Tarjan's algorithm. */

/** Each group of nodes that all reach one another; groups of one are left out. */
export function strongComponents(
  nodes: Iterable<string>,
  next: (node: string) => Iterable<string>,
): readonly (readonly string[])[] {
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const components: string[][] = [];

  function visit(node: string): number {
    const mine = order.size;
    order.set(node, mine);
    low.set(node, mine);
    stack.push(node);
    for (const other of next(node)) {
      if (!order.has(other)) lower(node, visit(other));
      else if (stack.includes(other)) lower(node, order.get(other) ?? mine);
    }
    if (low.get(node) === mine) {
      const component = stack.splice(stack.indexOf(node));
      if (component.length > 1) components.push(component);
    }
    return low.get(node) ?? mine;
  }

  function lower(node: string, to: number): void {
    low.set(node, Math.min(low.get(node) ?? to, to));
  }

  for (const node of nodes) if (!order.has(node)) visit(node);
  return components;
}
