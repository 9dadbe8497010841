import { describe, expect, test } from 'vitest';
import { ansibleLine, loginName, scpLine, sftpLine, sshConfig, sshLine, type SshTarget } from './ssh-lines';

const ID = '6f3c0f5e-6d0e-4f0e-9b3a-0c7d5f2f7a11';
const target: SshTarget = {
  username: 'li',
  systemUser: { id: 'su', name: 'deploy' },
  asset: { id: ID, name: 'shop-1' },
};
const gate = { host: 'gate.example.com', port: 2222 };

test('commands name person, system user and asset with a separator that every tool accepts', () => {
  expect(sshLine(target, gate)).toBe('ssh -p 2222 li=deploy=shop-1@gate.example.com');
  expect(sftpLine(target, gate)).toBe('sftp -P 2222 li=deploy=shop-1@gate.example.com');
  expect(scpLine(target, gate, 'FILE')).toBe('scp -P 2222 FILE li=deploy=shop-1@gate.example.com:/tmp/');
});

test('the default port is left out', () => {
  expect(sshLine(target, { ...gate, port: 22 })).toBe('ssh li=deploy=shop-1@gate.example.com');
});

test('an IPv6 host is bracketed where a colon ends the host', () => {
  const v6 = { host: '2001:db8::1', port: 22 };
  expect(sshLine(target, v6)).toBe('ssh li=deploy=shop-1@2001:db8::1');
  expect(sftpLine(target, v6)).toBe('sftp li=deploy=shop-1@[2001:db8::1]');
});

describe('what a shell or a file would misread', () => {
  test.each(['shop 1', 'a;reboot', '$(id)', "it's", 'a*', 'a:b', 'a/b', 'x\ny', 'a=b', '#1'])(
    '%j gives way to the id',
    (name) => {
      const odd = { ...target, asset: { id: ID, name } };
      expect(loginName(odd)).toBe(`li=deploy=${ID}`);
      expect(sshConfig(odd, gate)).toContain(`Host ${ID}\n`);
      expect(loginName({ ...target, systemUser: { id: 'su', name } })).toBe('li=su=shop-1');
    },
  );

  test('names in other scripts are kept', () => {
    expect(loginName({ ...target, asset: { id: ID, name: '数据库-1' } })).toBe('li=deploy=数据库-1');
  });

  test('an unusual user name is quoted', () => {
    expect(sshLine({ ...target, username: "o'hara $x" }, gate)).toBe(
      String.raw`ssh -p 2222 'o'\''hara $x=deploy=shop-1@gate.example.com'`,
    );
    expect(sshLine({ ...target, username: 'li@corp' }, gate)).toBe(
      'ssh -p 2222 li@corp=deploy=shop-1@gate.example.com',
    );
  });
});

test('blocks for ssh_config and an Ansible inventory match the guide', () => {
  expect(sshConfig(target, gate)).toBe(
    'Host shop-1\n    HostName gate.example.com\n    Port 2222\n    User li=deploy=shop-1',
  );
  expect(ansibleLine(target, gate)).toBe(
    'shop-1 ansible_host=gate.example.com ansible_port=2222 ansible_user=li=deploy=shop-1 ansible_remote_tmp=$HOME/.ansible/tmp',
  );
});
