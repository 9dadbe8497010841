import { http } from '#/lib/http/client';

/** Characters of a code of the authenticator app, neither more nor fewer (specification, sections 5 and 9). */
export const CODE_LENGTH = 6;

export type CodeKind = 'code' | 'recovery';

/** The person's second factor, from `authentication/otp/`. */
export interface SecondFactor {
  readonly is_set: boolean;
  /** 0 off, 1 on, 2 mandatory by the account. */
  readonly level: number;
  /** Mandatory by the account or by a setting. */
  readonly forced: boolean;
  readonly recovery_codes_left: number;
  readonly date_confirmed: string | null;
  /** Number of passkeys. `is_set` is about the app. */
  readonly passkeys: number;
}

/** A new secret for an app. The server returns it only once. */
export interface Enrolment {
  readonly secret: string;
  readonly uri: string;
  /** One string for each row of the QR picture; `1` is a dark square. */
  readonly qr: readonly string[];
  /** Seconds within which the first code must be sent. */
  readonly expires_in: number;
}

export interface RecoveryCodesAnswer {
  readonly recovery_codes: readonly string[];
}

const QUIET = { quiet: true } as const;
const OTP = 'authentication/otp/';

/** Removes spaces: apps group the digits with them, and people paste them. */
export function cleanCode(text: string): string {
  return text.replace(/\s/g, '');
}

/** Whether the text has the length of an app's code. */
export function hasCodeLength(code: string): boolean {
  return code.length === CODE_LENGTH;
}

export const fetchSecondFactor = () => http.get<SecondFactor>(OTP, QUIET);
/** Resolves when a code was entered recently; rejects otherwise. */
export const checkVerified = () => http.get<unknown>(`${OTP}verify/`, QUIET);
export const verifyCode = (code: string) => http.post<unknown>(`${OTP}verify/`, { code }, QUIET);
export const verifyPassword = (password: string) =>
  http.post<unknown>('authentication/password/verify/', { password }, QUIET);
/** `code` of the current app, if there is one. */
export const beginEnrolment = (code?: string) =>
  http.post<Enrolment>(`${OTP}enrol/start/`, code === undefined ? {} : { code }, QUIET);
export const confirmEnrolment = <Answer extends RecoveryCodesAnswer>(code: string) =>
  http.post<Answer>(`${OTP}enrol/confirm/`, { code }, QUIET);
/** Without an app there is no code: the server then wants a passkey that was shown just now. */
export const disableSecondFactor = (code: string, type: CodeKind) =>
  http.post<unknown>(`${OTP}disable/`, code === '' ? {} : { code, type }, QUIET);
export const renewRecoveryCodes = (code: string) =>
  http.post<RecoveryCodesAnswer>(`${OTP}recovery-codes/`, code === '' ? {} : { code }, QUIET);
