import type { QueryValues } from '#/lib/http/query-string';

/** Conditions of the permission list for the node or asset chosen in the tree. */
export function placeOf({ node, asset }: { node?: string; asset?: string }): QueryValues | undefined {
  if (asset !== undefined) return { asset_id: asset };
  return node === undefined ? undefined : { node_id: node };
}
