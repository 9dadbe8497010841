import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { browserLocation } from '#/lib/browser-location';
import { explain } from '#/lib/http/catalogue';
import { HttpError } from '#/lib/http/errors';
import { safeNext } from '#/lib/safe-next';
import { bindAfterVisit } from '#/domain/external/api';
import { toast } from '#/ui/toast';

/** A refused sign-in step has its sentence in `msg`; all other refusals in the usual place. */
function sentenceOf(error: unknown): string {
  const { msg } = ((error instanceof HttpError ? error.body : null) ?? {}) as { msg?: unknown };
  return typeof msg === 'string' && msg !== '' ? msg : explain(error);
}

/**
 * Back from a provider: binds the account of the visit that the address names (`?external=`), once. Returns why that
 * was refused.
 */
export function useCameBack(onBound: () => void): string | null {
  const { external }: { external?: string } = useSearch({ strict: false });
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
        search: ({ external: _used, ...rest }: Record<string, string>) => rest,
        replace: true,
      });
    const bind = async () => {
      try {
        const { msg, next } = await bindAfterVisit(external);
        toast({ tone: 'ok', text: msg });
        onBound();
        const target = safeNext(next);
        if (target === null) forget();
        else browserLocation.assign(target);
      } catch (error) {
        setFailure(sentenceOf(error));
        forget();
      }
    };
    void bind();
  }, [external, navigate, onBound]);
  return failure;
}
