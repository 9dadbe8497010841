import type { Api } from '#/lib/api-types';

/** An asset as its list tells it. */
export type AssetRow = Pick<
  Api<'Asset'>,
  | 'id'
  | 'hostname'
  | 'ip'
  | 'platform'
  | 'is_active'
  | 'connectivity'
  | 'nodes'
  | 'nodes_display'
  | 'labels'
  | 'labels_display'
> & {
  /** Always told, although null may be sent. */
  readonly protocols: readonly string[];
};
