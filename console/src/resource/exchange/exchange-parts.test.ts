import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { fileNameOf } from '#/lib/http/file';
import { errorOf } from '#/lib/http/errors';
import { startI18n } from '#/lib/i18n';
import { csvText } from './csv-text';
import {
  type ExchangeSource,
  exportQuery,
  firstScope,
  isOffered,
  rowsOfScope,
  templateQuery,
} from './exchange-source';
import { ACCEPTED, CONTENT_TYPE, fileProblem, fileType, maxMegabytes, sizeText } from './import-file';
import { meantCell, shownCell } from './cell-choices';
import { cellText, columnsOf, columnWidth, editRow, parseCell, rowsOf } from './import-row';
import { editDistance, remedyFor } from './remedy';
import { asOneLine, rowProblems } from './row-problems';

beforeAll(() => startI18n(['app'], 'en'));
afterEach(() => {
  document.body.replaceChildren();
});

const { columns, unknown } = columnsOf([
  ['*Hostname', 'hostname'],
  ['* IP', 'ip'],
  ['Protocols', 'protocols'],
  ['Colour', ''],
  ['IP again', 'ip'],
  ['', ''],
]);

const refused = (body: unknown, status = 400) =>
  rowProblems(errorOf({ status, body, requestId: null, method: 'POST', path: 'x/' }), columns).map(
    ({ text }) => text,
  );

test('columns: each field once, other headings are listed as unknown', () => {
  expect(columns.map(({ field, label, required }) => [field, label, required])).toEqual([
    ['hostname', 'Hostname', true],
    ['ip', 'IP', true],
    ['protocols', 'Protocols', false],
  ]);
  expect(unknown).toEqual(['Colour', 'IP again']);
});

describe('[S8-030] row errors as “column: message”', () => {
  test.each([
    ['a field', { ip: ['bad', 'too long'] }, ['IP: bad; too long']],
    ['a single message', { ip: 'bad' }, ['IP: bad']],
    ['several fields', { ip: ['bad'], hostname: ['taken'] }, ['IP: bad', 'Hostname: taken']],
    ['a field without a column', { nodes: ['gone'] }, ['nodes: gone']],
    ['an item of a list', { protocols: { 1: ['bad'] } }, ['Protocols #2: bad']],
    ['a list with gaps', { protocols: [{}, { port: ['high'] }] }, ['Protocols #2.port: high']],
    ['a nested field', { meta: { tls: { port: ['low'] } } }, ['meta.tls.port: low']],
    ['the whole row', { non_field_errors: ['not today'] }, ['not today']],
    ['a nested whole', { meta: { non_field_errors: ['odd'] } }, ['meta: odd']],
    ['a refusal in words', { detail: 'no', code: 'x' }, ['no']],
    ['a bare list', ['one', 'two'], ['one', 'two']],
    ['an empty map', { ip: [] }, ['Bad request, please check again']],
    ['nothing', null, ['Bad request, please check again']],
  ])('%s', (_, body, texts) => expect(refused(body)).toEqual(texts));

  test('other statuses use the texts of the catalogue', () => {
    expect(refused('<html>', 500)).toEqual(['The operation failed and the server gave no reason']);
    expect(refused({ error: 'Server internal error' }, 500)).toEqual(['Server internal error']);
  });
});

describe('typed cells', () => {
  test.each([
    ['["ssh/22"]', ['ssh/22']],
    ['{"a": 1}', { a: 1 }],
    ['22', 22],
    ['true', true],
    ['null', null],
    ['"22"', '22'],
    ['web-1', 'web-1'],
    ['007', '007'],
    ['1.50', '1.50'],
    ['12345678901234567890', '12345678901234567890'],
    ["=cmd|' /C calc'!A0", "=cmd|' /C calc'!A0"],
  ])('%s', (text, value) => expect(parseCell(text)).toEqual(value));

  test('an emptied cell is left out, and spaces alone count as empty', () => {
    const [row] = rowsOf([{ a: 'x', b: 'y' }]);
    if (!row) throw new Error('no row');
    expect(editRow(row, 'a', '').values).toEqual({ b: 'y' });
    expect(editRow(row, 'a', '  ').values).toEqual({ b: 'y' });
    expect(editRow(row, 'c', 'new').values).toEqual({ a: 'x', b: 'y', c: 'new' });
  });

  test('a list stays a list, whatever separates its items', () => {
    const [row] = rowsOf([{ protocols: ['ssh/22'] }]);
    if (!row) throw new Error('no row');
    const typed = (text: string) => editRow(row, 'protocols', text).values['protocols'];
    expect(typed('ssh/22，rdp/3389')).toEqual(['ssh/22', 'rdp/3389']);
    expect(typed('["ssh/22"]')).toEqual(['ssh/22']);
    expect(editRow(row, 'protocols', 'ssh/22')).toBe(row);
  });

  test('choices are read and typed by their labels', () => {
    const mode = {
      type: 'choice',
      required: false,
      read_only: false,
      label: 'Login mode',
      choices: [
        { value: 'auto', display_name: 'Automatic' },
        { value: 'manual', display_name: 'Typed in' },
      ],
    };
    expect(shownCell(mode, 'auto')).toBe('Automatic');
    expect(shownCell(mode, ['auto', 'manual'])).toBe('Automatic, Typed in');
    expect(shownCell(mode, 'autp')).toBe('autp');
    expect(meantCell(mode, 'typed in', 'auto')).toBe('manual');
    expect(meantCell(mode, 'Automatic', 'auto')).toBe('auto');
    expect(meantCell(undefined, 'x', 'y')).toBe('x');
  });

  test('values are displayed as they are typed', () => {
    expect([undefined, null, 'x', 1, false, ['a'], ['a', 'b'], ['a,b'], { a: 1 }].map(cellText)).toEqual([
      '',
      '',
      'x',
      '1',
      'false',
      'a',
      'a, b',
      '["a,b"]',
      '{"a":1}',
    ]);
  });
});

test('[S9-017] [S9-018] columns are 100 to 180 px wide', () => {
  expect(columnWidth('IP', [])).toBe(100);
  expect(columnWidth('IP', ['10.32.9.300-abcd'])).toBe(148);
  expect(columnWidth('备注', ['一台数据库服务器'])).toBe(124);
  expect(columnWidth('IP', ['x'.repeat(4000)])).toBe(180);
  expect(columnWidth('A very long heading of a column', [1])).toBe(180);
});

describe('import file', () => {
  const file = (name: string, bytes = 10) => new File([new Uint8Array(bytes)], name);

  test('[S3-070] [S7-068] file types and their content types', () => {
    expect(CONTENT_TYPE).toEqual({ csv: 'text/csv', xlsx: 'text/xlsx' });
    expect(['a.csv', 'B.XLSX', 'a.xls', 'csv', 'a.csv.exe', 'a.b.csv'].map(fileType)).toEqual([
      'csv',
      'xlsx',
      null,
      // A name without a dot that equals a type is accepted: the server checks the content.
      'csv',
      null,
      'csv',
    ]);
    expect(ACCEPTED).toMatch(/^\.csv,\.xlsx,/);
  });

  test('[S5-032] [S5-033] exactly one file, csv or xlsx', () => {
    expect(fileProblem([file('a.csv')], 10)).toBeNull();
    expect(fileProblem([file('a.xlsx')], 10)).toBeNull();
    expect(fileProblem([file('a.txt')], 10)).toBe('format');
    expect(fileProblem([file('a.csv'), file('b.csv')], 10)).toBe('count');
    expect(fileProblem([], 10)).toBe('count');
    expect(fileProblem([file('a.csv', 0)], 10)).toBe('empty');
  });

  test('[S5-034] [S9-014] at most 10 MB by default, up to 30 MB by a setting', () => {
    expect([undefined, 20, 30, 31, 0, Number.NaN].map(maxMegabytes)).toEqual([10, 20, 30, 30, 10, 10]);
    const ten = 10 * 1024 * 1024;
    expect(fileProblem([file('a.csv', ten)], maxMegabytes(undefined))).toBeNull();
    expect(fileProblem([file('a.csv', ten + 1)], maxMegabytes(undefined))).toBe('size');
    expect(fileProblem([file('a.csv', ten + 1)], maxMegabytes(30))).toBeNull();
  });

  test('sizes are shown in KB and MB', () => {
    expect([10, 88_000, 1_500_000].map(sizeText)).toEqual(['1 KB', '86 KB', '1.4 MB']);
  });
});

describe('scopes and queries', () => {
  const source: ExchangeSource = {
    api: 'assets/assets/',
    place: { node_id: 'n1' },
    filters: {},
    order: '-ip',
    chosen: new Map(),
    count: 12,
  };
  const filtered = {
    ...source,
    filters: { search: 'web', is_active: 'true', date_from: '2026-01-01T00:00:00Z' },
  };
  const chosen = { ...source, chosen: new Map([['a1', 'web-1']]) };

  test('[S5-046] the scope "all" is offered only without a condition', () => {
    expect(isOffered('all', source)).toBe(true);
    expect(isOffered('all', filtered)).toBe(false);
    expect(isOffered('all', { ...source, filters: { search: '' } })).toBe(true);
  });

  test('[S5-047] the scope "selected" is offered only with selected rows', () => {
    expect(isOffered('selected', source)).toBe(false);
    expect(isOffered('selected', chosen)).toBe(true);
  });

  test('[S5-048] the scope "filtered" is offered only with a condition', () => {
    expect(isOffered('filtered', source)).toBe(false);
    expect(isOffered('filtered', filtered)).toBe(true);
  });

  test('the default is the selection if there is one, else what the list shows', () => {
    expect([source, filtered, chosen].map(firstScope)).toEqual(['all', 'filtered', 'selected']);
    expect(rowsOfScope('selected', chosen)).toBe(1);
    expect(rowsOfScope('all', source)).toBe(12);
    expect(rowsOfScope('all', filtered)).toBeUndefined();
  });

  test('[S7-064] [S7-065] [S7-066] query of an export', () => {
    expect(exportQuery('all', 'csv', source)).toEqual({ format: 'csv', node_id: 'n1', order: '-ip' });
    expect(exportQuery('filtered', 'xlsx', filtered)).toEqual({
      format: 'xlsx',
      node_id: 'n1',
      order: '-ip',
      search: 'web',
      is_active: 'true',
      date_from: '2026-01-01T00:00:00Z',
    });
    expect(exportQuery('selected', 'csv', { ...filtered, ...chosen }, 'spm-1')).toEqual({
      format: 'csv',
      order: '-ip',
      spm: 'spm-1',
    });
  });

  test('for more rows than a file holds, the first of them are requested, as the dialog says', () => {
    expect(exportQuery('all', 'csv', { ...source, count: 10_001 })).toMatchObject({ limit: 10_000 });
    expect(exportQuery('all', 'csv', { ...source, count: 10_000 }).limit).toBeUndefined();
  });

  test('[S7-072] [S7-073] [S7-074] query of a template', () => {
    expect(templateQuery('import', 'csv', chosen)).toMatchObject({
      format: 'csv',
      template: 'import',
      limit: 1,
    });
    expect(templateQuery('update', 'xlsx', source)).toMatchObject({
      format: 'xlsx',
      template: 'update',
      limit: 1,
    });
    expect(templateQuery('update', 'xlsx', chosen, 'spm-1')).toEqual({
      format: 'xlsx',
      template: 'update',
      spm: 'spm-1',
    });
  });
});

test('rows as csv: quoted, without formulas', () => {
  expect(
    csvText([
      ['*Hostname', '* IP', 'Protocols'],
      ['a "b", c', '=cmd|x', 'ssh/22, rdp/3389'],
      ['中文\nline', "'-1", ''],
    ]),
  ).toBe(
    '\uFEFF*Hostname,* IP,Protocols\r\n"a ""b"", c",\'=cmd|x,"ssh/22, rdp/3389"\r\n"中文\nline",\'\'-1,\r\n',
  );
});

test('name of a downloaded file', () => {
  expect(fileNameOf('attachment; filename="asset_2026-11-21_12-00-00.csv"')).toBe(
    'asset_2026-11-21_12-00-00.csv',
  );
  expect(fileNameOf('attachment; filename="x.csv"; filename*=UTF-8\'\'%E8%B5%84.csv')).toBe('资.csv');
  expect(fileNameOf('attachment; filename=x.csv')).toBe('x.csv');
  expect(fileNameOf("attachment; filename=x.csv; filename*=UTF-8''%E8%B")).toBe('x.csv');
  expect(fileNameOf('attachment')).toBeNull();
  expect(fileNameOf(null)).toBeNull();
});

describe('remedy for a failed cell', () => {
  const fields = {
    platform: {
      type: 'choice',
      required: true,
      read_only: false,
      label: 'Platform',
      choices: [
        { value: 'linux', display_name: 'Linux' },
        { value: 'win', display_name: 'Windows' },
      ],
    },
  };
  const failed = (platform: unknown, field: string | null = 'platform') => {
    const [row] = rowsOf([{ platform }]);
    if (!row) throw new Error('no row');
    return { ...row, state: 'error' as const, problems: [{ field, text: 'x' }] };
  };

  test.each([
    ['Linnux', 'linux'],
    ['LINUX', 'linux'],
    ['windows', 'win'],
    ['macos', undefined],
    ['', undefined],
    ['linux', undefined],
  ])('%s', (typed, value) => expect(remedyFor(failed(typed), fields)?.value).toBe(value));

  test('only for the failed cell, and only where choices are known', () => {
    expect(remedyFor(failed('Linnux', 'ip'), fields)).toBeNull();
    expect(remedyFor(failed('Linnux', null), fields)).toBeNull();
    expect(editDistance('kitten', 'sitting')).toBe(3);
    expect(editDistance('', 'abc')).toBe(3);
  });
});

test('problems of a row are one line in which no full stop is followed by a semicolon', () => {
  const problems = ['Name: required.', 'IP: taken', '该字段是必填项。', 'last'].map((text) => ({
    field: null,
    text,
  }));
  expect(asOneLine(problems)).toBe('Name: required. IP: taken; 该字段是必填项。 last');
});
