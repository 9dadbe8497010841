import { Navigate } from '@tanstack/react-router';

/** Leads to the web terminal, for addresses typed by hand. */
export function ToWebTerminal() {
  return <Navigate to="/connect" replace />;
}
