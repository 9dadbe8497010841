import { FieldRelationCard } from '#/resource/detail/FieldRelationCard';
import { labelOptions, nodeOptions } from '#/domain/remotes';
import type { AssetRow } from './asset-row';
import { LabelChip } from './LabelChips';

interface Props {
  readonly row: AssetRow;
  readonly onChange: () => void;
}

/** The nodes of an asset; at least one must remain. */
export function AssetNodes({ row, onChange }: Props) {
  return (
    <FieldRelationCard
      title="assets:nodes"
      add="assets:relation.add_node"
      remote={nodeOptions}
      path={`assets/assets/${row.id}/`}
      field="nodes"
      items={row.nodes.map((id, index) => ({ id, name: row.nodes_display[index] ?? id }))}
      lastReason="assets:relation.last_node"
      onChange={onChange}
    />
  );
}

/** The labels of an asset. */
export function AssetLabels({ row, onChange }: Props) {
  return (
    <FieldRelationCard
      title="assets:labels"
      add="assets:relation.add_label"
      none="assets:relation.no_label"
      remote={labelOptions}
      path={`assets/assets/${row.id}/`}
      field="labels"
      items={row.labels.map((id, index) => {
        const name = row.labels_display[index] ?? id;
        return { id, name, content: <LabelChip text={name} /> };
      })}
      onChange={onChange}
    />
  );
}
