import { screen } from '@testing-library/react';
import { http as mock, HttpResponse } from 'msw';
import { expect, test } from 'vitest';
import type { Asked } from '#/domain/access-preview/preview';
import { previewOf } from '#/test/previews';
import { recordedServer } from '#/test/recorded';
import { renderScreen } from '#/test/render';
import type { FormValues } from '#/resource/define';
import { applicationPermission } from './application-permission.resource';
import { assetPermission } from './asset-permission.resource';

const { sent } = recordedServer(
  () => [mock.post('*/api/v1/perms/preview/', () => HttpResponse.json(previewOf({ gained: [2, 3, 6] })))],
  () => [import('./PermissionImpact'), import('#/domain/access-preview/AccessPreview')],
);

const COMMON = { users: ['u1'], user_groups: [], system_users: ['s1'], is_active: true };
const APPLICATION: FormValues = { ...COMMON, category: 'db', type: 'mysql', applications: ['a1'] };
const ASSET: FormValues = { ...COMMON, assets: ['h1'], nodes: [], actions: ['connect'] };

test.each([
  ['asset_permission', assetPermission, ASSET, undefined, { actions: ['connect'] }],
  ['application_permission', applicationPermission, APPLICATION, undefined, { type: 'mysql' }],
  ['application_permission', applicationPermission, APPLICATION, 'p1', { applications: ['a1'] }],
] as const)(
  'the form of an %s shows who gains access before it is saved',
  async (object, { form }, values, id, has) => {
    await renderScreen(<>{form?.aside?.({ values, id, mode: id === undefined ? 'create' : 'update' })}</>);
    expect(await screen.findByText('Gain: 2 people → 3 assets')).toBeTruthy();
    const [change] = (sent('POST', 'perms/preview/')[0]?.body as Asked | undefined)?.changes ?? [];
    expect(change).toMatchObject({ object, action: id === undefined ? 'create' : 'update', values: has });
    // The type of an application permission never changes, so a change does not send it.
    const isNew = object === 'application_permission' && id === undefined;
    expect(Object.keys(change?.values ?? {}).includes('type')).toBe(isNew);
  },
);

test.each([
  [assetPermission, { ...ASSET, assets: [] }, 'Choose people, assets and a system user'],
  [
    applicationPermission,
    { ...APPLICATION, applications: [] },
    'Choose people, applications and a system user',
  ],
] as const)('an incomplete form says what is missing', async ({ form }, values, words) => {
  await renderScreen(<>{form?.aside?.({ values, id: undefined, mode: 'create' })}</>);
  expect(await screen.findByText(new RegExp(words))).toBeTruthy();
  expect(sent('POST', 'perms/preview/')).toEqual([]);
});
