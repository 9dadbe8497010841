import { http } from '#/lib/http/client';

export interface Named {
  readonly id: string;
  readonly name: string;
}

/** How a permission covers the question: by the person or a group, and by the asset or a node. */
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

/** The permission that lacks least, when none is about both the person and the target. */
export interface Nearest {
  readonly permission: Named;
  readonly lacks: readonly {
    readonly code: string;
    readonly message: string;
    readonly object: Named | null;
  }[];
}

export interface Verdict {
  readonly allowed: boolean;
  readonly verdict: 'allow' | 'deny';
  readonly reasons: readonly Reason[];
  readonly actions: readonly string[];
  readonly nearest?: Nearest | null;
  readonly expires_at: string | number | null;
}

export interface AccessQuestion {
  readonly user: string;
  readonly kind: 'asset' | 'application';
  readonly target: string;
  readonly system_user: string;
}

export function explainAccess({ user, kind, target, system_user }: AccessQuestion): Promise<Verdict> {
  return http.get<Verdict>(`perms/${kind}-permissions/explain/`, {
    query: { user, [kind]: target, system_user },
    quiet: true,
  });
}
