import { expect, test } from 'vitest';
import { safeNext } from './safe-next';

test('k12: a path of the console is accepted', () => {
  expect(safeNext('/ui/assets/assets?page=2#x')).toBe('/ui/assets/assets?page=2#x');
});

test.each(['/api/docs/', '/api/redoc/'])('the description of the API at %s is accepted', (page) => {
  expect(safeNext(page)).toBe(page);
});

test.each([
  null,
  '',
  'https://evil.test/ui/',
  '//evil.test/ui/',
  '/\\evil.test/ui/',
  '\\\\evil.test',
  'javascript:alert(1)',
  '/ui/\\..\\..',
  '/\t/evil.test/ui/',
  '/ui/\r\nLocation: x',
  '/api/v1/',
  '/api/docs/../v1/',
  '/api/docs/files/x.js',
  '/ui/../core/auth/logout/',
  ' /ui/',
])('k12: %j is refused', (target) => {
  expect(safeNext(target)).toBeNull();
});
