import { http } from '#/lib/http/client';

/** Characters of a code of the authenticator app, neither more nor fewer (specification, sections 5 and 9). */
export const CODE_LENGTH = 6;

export type CodeKind = 'code' | 'recovery';

/** What the person has: `authentication/otp/`. */
export interface SecondFactor {
  readonly is_set: boolean;
  /** 0 off, 1 on, 2 mandatory by the account. */
  readonly level: number;
  /** Mandatory by the account or by a setting. */
  readonly forced: boolean;
  readonly recovery_codes_left: number;
  readonly date_confirmed: string | null;
}

/** A secret on its way into an app; shown this once. */
export interface Enrolment {
  readonly secret: string;
  readonly uri: string;
  /** One string for each row of the QR picture, `1` for dark. */
  readonly qr: readonly string[];
  /** Seconds in which the first code must come. */
  readonly expires_in: number;
}

export interface RecoveryCodesAnswer {
  readonly recovery_codes: readonly string[];
}

const QUIET = { quiet: true } as const;
const OTP = 'authentication/otp/';

/** Spaces are how apps group the digits; nobody should have to remove them. */
export function cleanCode(text: string): string {
  return text.replace(/\s/g, '');
}

/** Whether a code can be one of the app at all. */
export function hasCodeLength(code: string): boolean {
  return code.length === CODE_LENGTH;
}

export const fetchSecondFactor = () => http.get<SecondFactor>(OTP, QUIET);
/** Fulfilled when a code was entered not long ago. */
export const checkVerified = () => http.get<unknown>(`${OTP}verify/`, QUIET);
export const verifyCode = (code: string) => http.post<unknown>(`${OTP}verify/`, { code }, QUIET);
export const verifyPassword = (password: string) =>
  http.post<unknown>('authentication/password/verify/', { password }, QUIET);
/** `code` of the present app, where there is one. */
export const beginEnrolment = (code?: string) =>
  http.post<Enrolment>(`${OTP}enrol/start/`, code === undefined ? {} : { code }, QUIET);
export const confirmEnrolment = <Answer extends RecoveryCodesAnswer>(code: string) =>
  http.post<Answer>(`${OTP}enrol/confirm/`, { code }, QUIET);
export const disableSecondFactor = (code: string, type: CodeKind) =>
  http.post<unknown>(`${OTP}disable/`, { code, type }, QUIET);
export const renewRecoveryCodes = (code: string) =>
  http.post<RecoveryCodesAnswer>(`${OTP}recovery-codes/`, { code }, QUIET);
