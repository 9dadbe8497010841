import { CircleAlert, CircleCheck, Info, X } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { create } from 'zustand';
import { translate, useT } from '#/lib/i18n';
import { IconButton } from './button';
import { visible } from './visible-text';

/** Error banner and result toasts disappear after this time, in ms (specification, section 9). */
export const TOAST_MS = 5_000;

export interface ToastContent {
  readonly tone: 'ok' | 'error' | 'info';
  readonly text: string;
  readonly detail?: string;
  readonly action?: { readonly label: string; readonly run: () => void };
  /** Stays until it is closed, because it reports something that the person did not ask for. */
  readonly stays?: boolean;
}

interface Shown extends ToastContent {
  readonly key: number;
}

interface ToastState {
  readonly shown: readonly Shown[];
}

export const useToasts = create<ToastState>(() => ({ shown: [] }));
let nextKey = 1;

function close(key: number): void {
  useToasts.setState(({ shown }) => ({ shown: shown.filter((toast) => toast.key !== key) }));
}

/** Shows a result. The same text twice in a row is one toast. */
export function toast(content: ToastContent): void {
  const key = nextKey++;
  useToasts.setState(({ shown }) => ({
    shown: [...shown.filter((old) => old.text !== content.text).slice(-3), { ...content, key }],
  }));
}

/** Shows the general success message, for actions without a better one. */
export function toastSucceeded(text: string = translate('ui:succeeded')): void {
  toast({ tone: 'ok', text });
}

export function clearToasts(): void {
  useToasts.setState({ shown: [] });
}

const MARK = {
  ok: { icon: CircleCheck, bar: 'border-l-ok-dot', mark: 'text-ok' },
  error: { icon: CircleAlert, bar: 'border-l-danger-dot', mark: 'text-danger' },
  info: { icon: Info, bar: 'border-l-accent', mark: 'text-accent' },
} as const;

function ToastCard({ toast: { key, tone, text, detail, action, stays = false } }: { readonly toast: Shown }) {
  const t = useT();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const start = () => {
    if (!stays) timer.current = setTimeout(() => close(key), TOAST_MS);
  };
  const pause = () => clearTimeout(timer.current);
  useEffect(() => {
    if (!stays) timer.current = setTimeout(() => close(key), TOAST_MS);
    return () => clearTimeout(timer.current);
  }, [key, stays]);
  const { icon: IconOf, bar, mark } = MARK[tone];
  return (
    <li
      className={`flex w-full items-start gap-2 rounded-2 border border-l-[3px] border-line-2 bg-surface-1 py-2 pr-2 pl-3 shadow-menu ${bar}`}
      onMouseEnter={pause}
      onMouseLeave={start}
      onFocus={pause}
      onBlur={start}
    >
      <IconOf className={`mt-0.5 ${mark}`} aria-hidden />
      <div className="min-w-0 grow [overflow-wrap:anywhere]">
        {visible(text)}
        {detail !== undefined && <div className="text-meta text-ink-3">{detail}</div>}
      </div>
      {action && (
        <button
          type="button"
          className="pt-link min-h-6 flex-none"
          onClick={() => {
            close(key);
            action.run();
          }}
        >
          {action.label}
        </button>
      )}
      <IconButton icon={X} kind="text" size="sm" label={t('ui:close')} onClick={() => close(key)} />
    </li>
  );
}

/** Container of the toasts; mounted once for the whole page. */
export function ToastRegion() {
  const t = useT();
  const shown = useToasts((state) => state.shown);
  return (
    <section aria-label={t('ui:toasts')} aria-live="polite" aria-relevant="additions">
      {/* On phones above the buttons of a form, which stay at the bottom. */}
      <ol className="fixed right-4 bottom-4 z-(--z-toast) max-sm:bottom-20 grid w-[min(360px,calc(100vw-32px))] gap-2">
        {shown.map((entry) => (
          <ToastCard key={entry.key} toast={entry} />
        ))}
      </ol>
    </section>
  );
}
