import { defineForm, type ResourceDefinition } from '#/resource/define';
import { asset } from './asset.resource';
import type { AssetRow } from './asset-row';
import { assetMorePath } from './addresses';

/**
 * Form for hardware and system details of an asset. They are rarely written by hand, so they have their own form, which
 * changes nothing else.
 */
export const assetMore: ResourceDefinition<AssetRow> = {
  ...asset,
  routes: {
    names: { ...asset.routes.names, update: 'AssetMoreInformationEdit' },
    paths: { ...asset.routes.paths, update: assetMorePath },
    titles: { ...asset.routes.titles, update: 'nav:asset_more' },
  },
  form: defineForm<'assets/assets/'>({
    method: 'patch',
    groups: [
      { title: 'assets:form.basic', fields: ['hostname', 'ip', 'platform'] },
      {
        title: 'assets:hardware',
        fields: [
          'vendor',
          'model',
          'number',
          'cpu_model',
          'cpu_count',
          'cpu_cores',
          'cpu_vcpus',
          'memory',
          'disk_info',
          'disk_total',
        ],
      },
      { title: 'assets:form.system', fields: ['sn', 'os', 'os_version', 'os_arch'] },
    ],
    fields: asset.form?.fields ? { platform: asset.form.fields['platform'] ?? {} } : {},
    opensDetail: 'update',
  }),
};
