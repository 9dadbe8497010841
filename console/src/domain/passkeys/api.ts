import { http } from '#/lib/http/client';

/** A passkey of the signed-in person. */
export interface Passkey {
  readonly id: string;
  readonly name: string;
  /** The host name for which it was made. */
  readonly rp_id: string;
  readonly is_usable: boolean;
  readonly date_created: string;
  readonly date_last_used: string | null;
}

export interface OwnPasskeys {
  readonly results: readonly Passkey[];
  /** The only address at which passkeys work. */
  readonly origin: string;
  /** Why they do not work even there; empty if they do. */
  readonly problem: string;
  readonly limit: number;
}

export interface TrustedBrowser {
  readonly id: string;
  readonly remote_addr: string;
  readonly user_agent: string;
  readonly date_created: string;
  readonly date_expired: string;
}

/** The call for the browser, from `…/start/`. */
export interface Started<Options> {
  readonly publicKey: Options;
  readonly origin: string;
}

const QUIET = { quiet: true } as const;
const PASSKEYS = 'authentication/passkeys/';
const TRUSTED = 'authentication/trusted-browsers/';

export type Ceremony = 'enrol' | 'sign-in' | 'challenge' | 'verify';

export const start = <Options>(what: Ceremony) =>
  http.post<Started<Options>>(`${PASSKEYS}${what}/start/`, {}, QUIET);
/** Sends the browser's answer. */
export const finish = <Answer>(what: Ceremony, body: object) =>
  http.post<Answer>(`${PASSKEYS}${what === 'enrol' ? 'enrol/confirm' : what}/`, body, QUIET);

export const fetchPasskeys = () => http.get<OwnPasskeys>(PASSKEYS, QUIET);
export const renamePasskey = (id: string, name: string) =>
  http.patch<Passkey>(`${PASSKEYS}${id}/`, { name }, QUIET);
export const removePasskey = (id: string) => http.delete(`${PASSKEYS}${id}/`, QUIET);
/** The passkeys that another host name would void. */
export const fetchInUse = () =>
  http.get<{ readonly host: string; readonly number: number }>(`${PASSKEYS}in-use/`, QUIET);

export const fetchTrusted = () => http.get<readonly TrustedBrowser[]>(TRUSTED, QUIET);
export const endTrust = (id: string) => http.delete(`${TRUSTED}${id}/`, QUIET);
