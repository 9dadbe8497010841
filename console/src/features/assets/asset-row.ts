/** An asset as its list tells it. */
export interface AssetRow {
  readonly id: string;
  readonly hostname: string;
  readonly ip: string;
  readonly platform: string;
  readonly protocols: readonly string[];
  readonly is_active: boolean;
  readonly connectivity: 'unknown' | 'ok' | 'failed';
  /** Ids; the names stand in the same order in `…_display`. */
  readonly nodes: readonly string[];
  readonly nodes_display: readonly string[];
  readonly labels: readonly string[];
  readonly labels_display: readonly string[];
}
