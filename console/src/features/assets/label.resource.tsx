import { Tag } from 'lucide-react';
import type { Api } from '#/lib/api-types';
import { defineResource } from '#/resource/define';
import { AmountCell } from '#/resource/format';
import { assetOptions } from '#/domain/remotes';
import { Count } from '#/ui/status';
import { lazyPart } from '#/resource/lazy-part';
import { labelRoutes } from './addresses';

const LabelledAssets = lazyPart(async () => (await import('./ListedAssets')).LabelledAssets);

export type LabelRow = Pick<Api<'Label'>, 'id' | 'name' | 'value' | 'asset_count' | 'comment'>;

function nameOf(row: LabelRow): string {
  return `${row.name}:${row.value}`;
}

/** The assets that have a label. */
function carriers(row: LabelRow): string {
  return `/assets/assets?label=${encodeURIComponent(nameOf(row))}`;
}

export const label = defineResource<LabelRow, 'assets/labels/'>({
  name: 'LabelListTable',
  api: 'assets/labels/',
  routes: labelRoutes,
  icon: Tag,
  nameOf,
  noun: { one: 'assets:label_noun.one', many: 'assets:label_noun.many', what: 'assets:label_noun.what' },
  can: { delete: () => true },
  list: {
    columns: [
      'name',
      'value',
      {
        key: 'asset_count',
        align: 'right',
        cell: (row) => <AmountCell value={row.asset_count} to={carriers(row)} />,
      },
      'date_created',
      'comment',
      'org_name',
    ],
    phone: {
      icon: Tag,
      meta: (row) => <span>{row.comment}</span>,
      status: (row) => <Count>{row.asset_count}</Count>,
    },
  },
  form: {
    groups: [{ title: 'assets:form.basic', fields: ['name', 'value', 'assets', 'comment'] }],
    fields: { assets: { remote: assetOptions, multiple: true } },
  },
  detail: {
    cards: [
      {
        title: 'assets:form.basic',
        fields: [
          'name',
          'value',
          {
            key: 'asset_count',
            value: (row) => <AmountCell value={row.asset_count} to={carriers(row)} />,
          },
          'date_created',
          'comment',
        ],
      },
    ],
    tabs: [
      {
        id: 'assets',
        label: 'assets:tab.assets',
        count: (row) => row.asset_count,
        content: (row) => <LabelledAssets label={nameOf(row)} />,
      },
    ],
  },
});
