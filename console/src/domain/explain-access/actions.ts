/** Action names of a permission, as a tree. */
export interface ActionNode {
  readonly name: string;
  readonly children: readonly ActionNode[];
}

const leaf = (name: string): ActionNode => ({ name, children: [] });

export const ACTION_TREE: ActionNode = {
  name: 'all',
  children: [
    leaf('connect'),
    { name: 'updownload', children: [leaf('upload_file'), leaf('download_file')] },
    { name: 'clipboard_copy_paste', children: [leaf('clipboard_copy'), leaf('clipboard_paste')] },
  ],
};
/** Given by its own name only: `all` does not include it. */
export const FORWARD: ActionNode = leaf('forward');
const ACTION_TREES = [ACTION_TREE, FORWARD] as const;

export function leavesOf(node: ActionNode): readonly string[] {
  return node.children.length === 0 ? [node.name] : node.children.flatMap(leavesOf);
}

/** The chosen leaves. The server's list contains group names as well. */
export function chosenLeaves(names: readonly string[]): ReadonlySet<string> {
  const chosen = new Set<string>();
  const visit = (node: ActionNode, inherited: boolean) => {
    const on = inherited || names.includes(node.name);
    if (node.children.length === 0 && on) chosen.add(node.name);
    for (const child of node.children) visit(child, on);
  };
  for (const tree of ACTION_TREES) visit(tree, false);
  return chosen;
}

/** Names to send: each chosen leaf, and each group whose leaves are all chosen. */
export function actionNames(leaves: ReadonlySet<string>): readonly string[] {
  const names: string[] = [];
  const visit = (node: ActionNode) => {
    if (leavesOf(node).every((name) => leaves.has(name))) names.push(node.name);
    for (const child of node.children) visit(child);
  };
  for (const tree of ACTION_TREES) visit(tree);
  return names;
}
