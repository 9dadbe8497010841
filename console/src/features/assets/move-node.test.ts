import { http as mock, HttpResponse } from 'msw';
import { expect, test } from 'vitest';
import { startI18n } from '#/lib/i18n';
import { writeCookie } from '#/lib/storage';
import { recordedServer } from '#/test/recorded';
import { useToasts } from '#/ui/toast';
import { moveNode, whyNotThere } from './move-node';

const web = { id: 'w', key: '1:2', label: 'web' };
const prod = { id: 'p', key: '1:3', label: 'prod' };

/** The children of the root, as the server lists them. */
const children = (...ids: readonly string[]) =>
  ids.map((id) => ({
    id: `1:${id}`,
    name: `${id} (7)`,
    title: id,
    pId: '1',
    isParent: true,
    meta: { type: 'node', data: { id, key: `1:${id}` } },
  }));

const { server, sent } = recordedServer(() => [
  mock.get('*/api/v1/assets/nodes/children/tree/', () => HttpResponse.json(children('p'))),
]);

async function ready(): Promise<void> {
  await startI18n(['app', 'ui', 'assets'], 'en');
  writeCookie('csrftoken', 'a-csrf-token');
}

test('a node goes neither below itself, nor where it is, and the root stays', async () => {
  await ready();
  const root = { id: 'r', key: '1', label: 'Default' };
  expect(whyNotThere(web, { ...prod, key: '1:2:0' })).toMatch(/below itself/);
  expect(whyNotThere(web, web)).toMatch(/below itself/);
  expect(whyNotThere(web, root)).toMatch(/already there/);
  expect(whyNotThere(root, web)).toMatch(/root node/);
  expect(whyNotThere(web, prod)).toBeUndefined();
  expect(whyNotThere(web, { ...prod, key: '1:20' })).toBeUndefined();
});

test('a node that was removed meanwhile is not asked about, and nothing is sent', async () => {
  await ready();
  expect(await moveNode(web, prod)).toBe(false);
  expect(useToasts.getState().shown.at(-1)?.text).toMatch(/no longer exists/);
  expect(sent('PUT', 'assets/nodes/p/children/add/')).toHaveLength(0);
});

test('a conflict is reported with its reason', async () => {
  await ready();
  server.use(
    mock.get('*/api/v1/assets/nodes/children/tree/', () =>
      HttpResponse.json({ detail: 'Somebody else is changing this object.' }, { status: 409 }),
    ),
  );
  expect(await moveNode(web, prod)).toBe(false);
  expect(useToasts.getState().shown.at(-1)?.text).toBe(
    '“web” was not moved: Somebody else is changing this object.',
  );
});
