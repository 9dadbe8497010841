/** Address at which people's own clients reach the SSH service. */
export interface SshAddress {
  readonly host: string;
  readonly port: number;
}

/** An object with a readable name and an id that can always be used instead. */
export interface Named {
  readonly id: string;
  readonly name: string;
}

/** Person, account and asset: the parts of the user name of an SSH sign-in. */
export interface SshTarget {
  readonly username: string;
  readonly systemUser: Named;
  readonly asset: Named;
}

const USUAL_PORT = 22;
/** Characters without special meaning in shells, scp and configuration files. */
const PLAIN = /^[\p{L}\p{N}._-]+$/u;

function nameIn(login: Named): string {
  return PLAIN.test(login.name) ? login.name : login.id;
}

/** Quotes a value as one word for a POSIX shell. */
function word(text: string): string {
  return /^[\p{L}\p{N}@=._:/[\]-]+$/u.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** `USER=SYSTEMUSER=ASSET`. Names with other characters are replaced by the id, which the server accepts as well. */
export function loginName({ username, systemUser, asset }: SshTarget): string {
  return `${username}=${nameIn(systemUser)}=${nameIn(asset)}`;
}

const portOption = (flag: string, port: number): string => (port === USUAL_PORT ? '' : ` ${flag} ${port}`);

/** scp and sftp end the host name at the first colon, so an IPv6 address needs brackets. */
const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host);

export function sshLine(target: SshTarget, { host, port }: SshAddress): string {
  return `ssh${portOption('-p', port)} ${word(`${loginName(target)}@${host}`)}`;
}

/** Without an account the server uses the account with the highest priority that the person's permissions allow. */
export function shortSshLine(
  { username, asset }: Pick<SshTarget, 'username' | 'asset'>,
  { host, port }: SshAddress,
): string {
  return `ssh${portOption('-p', port)} ${word(`${username}=${nameIn(asset)}@${host}`)}`;
}

export function sftpLine(target: SshTarget, { host, port }: SshAddress): string {
  return `sftp${portOption('-P', port)} ${word(`${loginName(target)}@${bracketed(host)}`)}`;
}

export function scpLine(target: SshTarget, { host, port }: SshAddress, file: string): string {
  return `scp${portOption('-P', port)} ${word(file)} ${word(`${loginName(target)}@${bracketed(host)}:/tmp/`)}`;
}

/** A name for the asset in files, without characters that `ssh_config` and inventories read as patterns or ends. */
function alias(asset: Named): string {
  return PLAIN.test(asset.name) ? asset.name : asset.id;
}

/** Block for `~/.ssh/config`; afterwards `ssh ASSET`, `scp` and editors work as with any host. */
export function sshConfig(target: SshTarget, { host, port }: SshAddress): string {
  return [
    `Host ${alias(target.asset)}`,
    `    HostName ${host}`,
    `    Port ${port}`,
    `    User ${loginName(target)}`,
  ].join('\n');
}

/**
 * One line of an Ansible inventory. Ansible looks up the home directory of `ansible_user`, whom the host does not know;
 * `ansible_remote_tmp` avoids that.
 */
export function ansibleLine(target: SshTarget, { host, port }: SshAddress): string {
  return [
    alias(target.asset),
    `ansible_host=${host}`,
    `ansible_port=${port}`,
    `ansible_user=${loginName(target)}`,
    'ansible_remote_tmp=$HOME/.ansible/tmp',
  ].join(' ');
}
