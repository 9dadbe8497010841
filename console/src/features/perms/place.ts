import type { QueryValues } from '#/lib/http/query-string';

/** What is chosen in the tree of assets: a node, or one asset. */
export interface AssetPlace {
  readonly node?: string | undefined;
  readonly asset?: string | undefined;
}

/** Conditions of the permission list for the node or asset chosen in the tree. */
export function placeOf({ node, asset }: AssetPlace): QueryValues | undefined {
  if (asset !== undefined) return { asset_id: asset };
  return node === undefined ? undefined : { node_id: node };
}

/** What is chosen in the tree of applications: a category, a type, or one application. */
export interface ApplicationPlace {
  readonly category?: string | undefined;
  readonly type?: string | undefined;
  readonly app?: string | undefined;
}

/** Conditions of the list of application permissions for what is chosen in the tree. */
export function applicationPlaceOf({ category, type, app }: ApplicationPlace): QueryValues | undefined {
  if (app !== undefined) return { app };
  if (type !== undefined) return { type };
  return category === undefined ? undefined : { category };
}
