/** A row of a tree, in display order. */
export interface TreeRow<Row> {
  readonly row: Row;
  /** 0 for rows without a parent. */
  readonly depth: number;
  readonly isBranch: boolean;
  readonly expanded: boolean;
}

export interface TreeKeys {
  readonly idKey?: string;
  /** Field with the child rows. */
  readonly childrenKey?: string;
  /** Field with the id of the parent row. */
  readonly parentKey?: string;
}

type Fields = Readonly<Record<string, unknown>>;

function text(value: unknown): string {
  return value === null || value === undefined ? '' : String(value as string | number);
}

/**
 * Visible rows of a tree. Children are nested in their row, or siblings that name their parent; both may be mixed. A
 * row whose parent does not exist is a root.
 */
export function treeRows<Row extends object>(
  rows: readonly Row[],
  expanded: ReadonlySet<string>,
  { idKey = 'id', childrenKey = 'children', parentKey = 'parentId' }: TreeKeys = {},
): readonly TreeRow<Row>[] {
  const below = new Map<string, Row[]>();
  const known = new Set<string>();
  const learn = (list: readonly Row[]) => {
    for (const row of list) {
      known.add(text((row as Fields)[idKey]));
      learn(inside(row));
    }
  };
  const inside = (row: Row): readonly Row[] => {
    const children = (row as Fields)[childrenKey];
    return Array.isArray(children) ? (children as Row[]) : [];
  };
  learn(rows);
  const top: Row[] = [];
  for (const row of rows) {
    const parent = text((row as Fields)[parentKey]);
    if (parent === '' || !known.has(parent) || parent === text((row as Fields)[idKey])) top.push(row);
    else below.set(parent, [...(below.get(parent) ?? []), row]);
  }
  const flat: TreeRow<Row>[] = [];
  const seen = new Set<string>();
  const visit = (list: readonly Row[], depth: number) => {
    for (const row of list) {
      const id = text((row as Fields)[idKey]);
      // A cycle of parents must not cause an endless loop.
      if (seen.has(id)) continue;
      seen.add(id);
      const children = [...inside(row), ...(below.get(id) ?? [])];
      const isOpen = children.length > 0 && expanded.has(id);
      flat.push({ row, depth, isBranch: children.length > 0, expanded: isOpen });
      if (isOpen) visit(children, depth + 1);
    }
  };
  visit(top, 0);
  return flat;
}
