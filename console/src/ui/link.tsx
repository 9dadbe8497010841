import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { buttonLook, type ButtonLook } from './button';

interface AppLinkProps {
  /** Path inside the console, without `/ui`, e.g. `/assets/assets`. May carry `?query`. */
  readonly to: string;
  readonly children: ReactNode;
  readonly className?: string;
  readonly title?: string;
  readonly tabIndex?: number;
}

/** Splits `/a?b=c` into what the router wants. */
export function splitTarget(target: string): { to: string; search: Record<string, string> } {
  const [to = '/', query = ''] = target.split('?', 2);
  return { to, search: Object.fromEntries(new URLSearchParams(query)) };
}

const EXACT = { exact: true, includeSearch: false } as const;

export function AppLink({ to, children, className = 'pt-link', title, tabIndex }: AppLinkProps) {
  const target = splitTarget(to);
  return (
    <Link
      to={target.to}
      search={target.search}
      className={className}
      title={title}
      tabIndex={tabIndex}
      // `aria-current` is for the page itself, not for those above it.
      activeOptions={EXACT}
    >
      {children}
    </Link>
  );
}

export function LinkButton({
  to,
  children,
  kind,
  size,
  icon: IconOf,
  label,
  newTab = false,
}: Omit<AppLinkProps, 'children'> & ButtonLook & { label?: string; newTab?: boolean; children?: ReactNode }) {
  const target = splitTarget(to);
  return (
    <Link
      to={target.to}
      search={target.search}
      className="pt-button"
      aria-label={label}
      title={label}
      {...(newTab ? { target: '_blank', rel: 'noreferrer' } : {})}
      {...buttonLook({ kind, size }, children === undefined)}
    >
      {IconOf && <IconOf aria-hidden />}
      {children}
    </Link>
  );
}
