import { http } from '#/lib/http/client';

export interface Named {
  readonly id: string;
  readonly name: string;
}

/** How a permission covers the question: by the person or a group, and by the asset, a node or the application. */
export interface Via {
  readonly user?: Named;
  readonly user_group?: Named;
  readonly asset?: Named;
  readonly node?: Named;
  readonly application?: Named;
}

export interface Reason {
  readonly code: string;
  readonly message: string;
  readonly permission: Named | null;
  readonly via: Via | null;
}

export interface Verdict {
  readonly allowed: boolean;
  readonly verdict: 'allow' | 'deny';
  readonly reasons: readonly Reason[];
  readonly actions: readonly string[];
  readonly expires_at: string | number | null;
}

/** What is asked about: an asset or an application. */
export type TargetKind = 'asset' | 'application';

/** Ids of what is asked about. */
export interface AccessQuestion {
  readonly user: string;
  readonly target: string;
  readonly system_user: string;
}

const API: Readonly<Record<TargetKind, string>> = {
  asset: 'perms/asset-permissions/explain/',
  application: 'perms/application-permissions/explain/',
};

export function explainAccess(
  kind: TargetKind,
  { user, target, system_user }: AccessQuestion,
): Promise<Verdict> {
  return http.get<Verdict>(API[kind], { query: { user, [kind]: target, system_user }, quiet: true });
}
