import { FieldRelationCard } from '#/resource/detail/FieldRelationCard';
import { placementEffect } from '#/domain/access-preview/effects';
import { labelOptions, nodeOptions } from '#/domain/remotes';
import { translate } from '#/lib/i18n';
import { confirm } from '#/ui/confirm';
import { visible } from '#/ui/visible-text';
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
      beforeRemove={({ id, name }) =>
        confirm({
          title: translate('assets:relation.leave_question', {
            name: visible(row.hostname),
            node: visible(name),
          }),
          extra: placementEffect([row.id], { remove: [id] }),
          confirmLabel: translate('assets:remove.confirm'),
          danger: true,
        })
      }
      effectOfAdding={(nodes) => placementEffect([row.id], { add: nodes })}
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
