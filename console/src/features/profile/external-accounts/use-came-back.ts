import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { browserLocation } from '#/lib/browser-location';
import { explain } from '#/lib/http/catalogue';
import { HttpError } from '#/lib/http/errors';
import { safeNext } from '#/lib/safe-next';
import { toast } from '#/ui/toast';

/** A refused sign-in step has its sentence in `msg`; all other refusals in the usual place. */
function sentenceOf(error: unknown): string {
  const { msg } = ((error instanceof HttpError ? error.body : null) ?? {}) as { msg?: unknown };
  return typeof msg === 'string' && msg !== '' ? msg : explain(error);
}

/**
 * Back from a provider: uses the visit that the address names (`?external=`), once. `by`: what the visit is for, as the
 * address says. Returns why it was refused.
 */
export function useCameBack(
  by: 'confirm' | undefined,
  spend: (visit: string) => Promise<{ readonly msg?: string; readonly next: string }>,
  onUsed: () => void,
): string | null {
  const search: { external?: string; by?: string } = useSearch({ strict: false });
  const external = search.by === by ? search.external : undefined;
  const navigate = useNavigate();
  const used = useRef<string | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  useEffect(() => {
    // A visit can be used once, and React may run effects twice.
    if (external === undefined || used.current === external) return;
    used.current = external;
    const forget = () =>
      void navigate({
        to: '.',
        search: ({ external: _used, by: _by, ...rest }: Record<string, string>) => rest,
        replace: true,
      });
    const run = async () => {
      try {
        const { msg, next } = await spend(external);
        if (msg !== undefined) toast({ tone: 'ok', text: msg });
        onUsed();
        const target = safeNext(next);
        if (target === null) forget();
        else browserLocation.assign(target);
      } catch (error) {
        setFailure(sentenceOf(error));
        forget();
      }
    };
    void run();
  }, [external, navigate, spend, onUsed]);
  return failure;
}
