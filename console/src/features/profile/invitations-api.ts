import { http } from '#/lib/http/client';

/** The person is invited into an organization. */
export interface Invitation {
  readonly id: string;
  readonly org_display: string;
  readonly roles: readonly string[];
  readonly created_by: string;
  readonly date_expired: string;
}

export function fetchInvitations(): Promise<readonly Invitation[]> {
  return http.get<readonly Invitation[]>('users/profile/invitations/', { quiet: true });
}

export function answerInvitation(id: string, answer: 'accept' | 'decline'): Promise<unknown> {
  return http.post(`users/profile/invitations/${id}/${answer}/`, {}, { quiet: true });
}
