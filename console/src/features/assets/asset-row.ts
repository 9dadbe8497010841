import type { Api } from '#/lib/api-types';

/** An asset, as the list endpoint returns it. */
export type AssetRow = Pick<
  Api<'Asset'>,
  | 'id'
  | 'hostname'
  | 'ip'
  | 'platform'
  | 'is_active'
  | 'connectivity'
  | 'connectivity_reason'
  | 'date_verified'
  | 'domain'
  | 'domain_display'
  | 'nodes'
  | 'nodes_display'
  | 'labels'
  | 'labels_display'
> & {
  /** Always present in answers, although a write may send null. */
  readonly protocols: readonly string[];
};
