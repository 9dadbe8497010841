import { QueryClient } from '@tanstack/react-query';

/**
 * The query client of the console. No retries: the specification says 0, and more calls do not help a failing server.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { retry: false, refetchOnWindowFocus: false, staleTime: 10_000, gcTime: 300_000 },
    mutations: { retry: false },
  },
});
