/** For clients that hold one server each: all are opened at once, and what they list is kept. */

export async function openEach(servers, open) {
  const clients = await Promise.all(Object.values(servers).map(open));
  let kept = [];
  return {
    list: async () => {
      kept = await Promise.all(clients.map((client) => client.listTools()));
      return kept.reduce((sum, { tools }) => sum + tools.length, 0);
    },
    call: async (name, given) => (await clients[0].callTool({ name, arguments: given })).content[0].text,
    close: () => Promise.all(clients.map((client) => client.close())),
  };
}
