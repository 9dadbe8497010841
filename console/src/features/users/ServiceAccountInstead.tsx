import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { objectPath } from '#/resource/routes';
import { serviceAccountRoutes } from './addresses';

/** Leads on to the page of a service account, for links that know only that it is a user. */
export function ServiceAccountInstead({ id }: { readonly id: string }) {
  const navigate = useNavigate();
  useEffect(() => {
    void navigate({ to: objectPath(serviceAccountRoutes.paths.detail, id), replace: true });
  }, [id, navigate]);
  return null;
}
