import { screen } from '@testing-library/react';
import { http as mock, HttpResponse } from 'msw';
import type { ComponentType } from 'react';
import { beforeEach, expect, test } from 'vitest';
import { onPhone } from '#/test/phone';
import { pageOf, recordedServer } from '#/test/recorded';
import { renderScreen } from '#/test/render';
import { FtpLogPage, LoginLogPage, OperateLogPage, PasswordChangeLogPage } from './screens';

const AT = '2026/11/22 13:43:03 +0000';
const ROWS: Readonly<Record<string, object>> = {
  'login-logs': {
    id: '1',
    username: 'li',
    ip: '203.0.113.77',
    status: false,
    reason: 'block_login',
    datetime: AT,
  },
  'ftp-logs': {
    id: '1',
    filename: '/srv/report.csv',
    user: 'Li(li)',
    asset: 'shop-1',
    operate_display: 'Upload',
    is_success: true,
    state: 'finished',
    date_start: AT,
  },
  'operate-logs': {
    id: '1',
    resource: 'shop-1',
    resource_display: 'shop-1',
    user: 'Ann(ann)',
    user_display: 'Ann(ann)',
    action_display: 'Update',
    resource_type_display: 'Asset',
    resource_id: '',
    changes: [],
    datetime: AT,
  },
  'password-change-logs': { id: '1', user: 'Li(li)', change_by: 'Ann(ann)', datetime: AT },
};

recordedServer(() => [
  mock.options('*/api/v1/audits/*', () => HttpResponse.json({ name: 'log', actions: { GET: {} } })),
  mock.get('*/api/v1/audits/:log/', ({ params }) => HttpResponse.json(pageOf([ROWS[String(params['log'])]]))),
]);
beforeEach(onPhone);

test.each<[string, ComponentType, string, readonly string[]]>([
  ['why a sign-in was refused and from where', LoginLogPage, 'li', ['203.0.113.77', 'Locked']],
  ['who moved a file, where to and which way', FtpLogPage, '/srv/report.csv', ['Upload', 'Li(li)', 'shop-1']],
  ['who did what to which kind of object', OperateLogPage, 'shop-1', ['Ann(ann)', 'Update', 'Asset']],
  ['who changed a password', PasswordChangeLogPage, 'Li(li)', ['changed by Ann(ann)']],
])('on a phone a log tells %s, and when', async (_, Page, name, words) => {
  await renderScreen(<Page />);
  const row = (await screen.findByText(name)).closest('li');
  for (const word of [...words, '2026-11-22']) expect(row?.textContent).toContain(word);
});
