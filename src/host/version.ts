/** Who we say we are to servers. A test holds it to the package's version. */

export const clientInfo = { name: 'holt', version: '0.1.0' } as const;
