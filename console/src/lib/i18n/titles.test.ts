import { expect, test } from 'vitest';
import { withTitles } from './titles';

const titles = { list: '{{noun}}', create: 'Create {{noun}}', detail: '{{noun}}' };

test('a noun gets the titles of its screens', () => {
  const site = { one: 'site', many: 'sites', what: 'A site is a place.' };
  expect(withTitles({ titles, site, help: 'Help' })).toEqual({
    titles,
    help: 'Help',
    site: { ...site, list: 'Sites', create: 'Create site', detail: 'Site' },
  });
});

test('a namespace without patterns stays as it is', () => {
  const texts = { site: { one: 'site', many: 'sites' } };
  expect(withTitles(texts)).toBe(texts);
});
