import { Link, useRouter } from '@tanstack/react-router';
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

/** Splits `/a?b=c` into the router's parameters. */
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
      // `aria-current` marks only the page itself, not its parents.
      activeOptions={EXACT}
    >
      {children}
    </Link>
  );
}

/** Preloading waits this long, in ms, so that a pointer that crosses a list does not preload all of its links. */
const INTENT_MS = 50;
let intent: ReturnType<typeof setTimeout> | undefined;
const forget = () => clearTimeout(intent);

/**
 * A link for pages with hundreds of links. The router's own link subscribes to every change of the address to know
 * whether it is active. This link behaves the same but does not subscribe.
 */
export function CellLink({ to, children, className = 'pt-link', title }: AppLinkProps) {
  const router = useRouter();
  const target = splitTarget(to);
  const query = router.options.stringifySearch?.(target.search) ?? '';
  const preload = () => {
    forget();
    intent = setTimeout(() => void router.preloadRoute(target).catch(() => undefined), INTENT_MS);
  };
  return (
    <a
      href={router.history.createHref(
        `${router.basepath === '/' ? '' : router.basepath}${target.to}${query}`,
      )}
      className={className}
      title={title}
      onClick={(event) => {
        if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        forget();
        void router.navigate(target);
      }}
      onMouseEnter={preload}
      onFocus={preload}
      onTouchStart={preload}
      onMouseLeave={forget}
      onBlur={forget}
    >
      {children}
    </a>
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
