import { describe, expect, it } from 'vitest';
import { bodyOf, EMPTY_HOST, errorsOf, missingIn, suggestedAccount } from './api';

describe('the body of a new host', () => {
  it('names host and account by address and username', () => {
    const host = {
      ...EMPTY_HOST,
      address: ' 192.0.2.1 ',
      username: 'root',
      password: 's3cret',
      users: ['u'],
    };
    expect(bodyOf(host)).toEqual({
      asset: { hostname: '192.0.2.1', ip: '192.0.2.1', platform: 'Linux', protocols: ['ssh/22'] },
      account: { name: 'root', username: 'root', protocol: 'ssh', password: 's3cret' },
      users: ['u'],
      user_groups: [],
    });
  });

  it('sends the chosen account and no secret', () => {
    const host = {
      ...EMPTY_HOST,
      address: 'web',
      accountKind: 'existing' as const,
      systemUser: 's',
      password: 'x',
    };
    expect(bodyOf(host)).not.toHaveProperty('account');
    expect(bodyOf(host)).toHaveProperty('system_user', 's');
  });

  it('is not sent without address and secret', () => {
    expect(missingIn(EMPTY_HOST)).toEqual(['address', 'username', 'password']);
    expect(missingIn({ ...EMPTY_HOST, secretKind: 'key' })).toContain('privateKey');
    expect(missingIn({ ...EMPTY_HOST, address: 'web', accountKind: 'existing' })).toEqual(['systemUser']);
  });
});

describe('errors of the server', () => {
  it('are shown at the fields of the form', () => {
    expect(
      errorsOf({
        asset: { ip: 'Wrong.', protocols: { 0: 'Write ssh/22.' } },
        account: { name: 'Taken.', shell: 'No.' },
        detail: 'Bad.',
      }),
    ).toEqual({ address: 'Wrong.', port: 'Write ssh/22.', accountName: 'Taken.', '': 'No.; Bad.' });
  });
});

describe('the account that the form suggests', () => {
  it('is a new one where no account exists', () => {
    expect(suggestedAccount([])).toEqual({});
  });

  it('is the only account that exists', () => {
    expect(suggestedAccount(['a'])).toEqual({ accountKind: 'existing', systemUser: 'a' });
  });

  it('is left to the administrator where several exist', () => {
    expect(suggestedAccount(['a', 'b'])).toEqual({ accountKind: 'existing', systemUser: '' });
  });
});
