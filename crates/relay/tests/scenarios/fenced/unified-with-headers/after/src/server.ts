import { port } from './config';

export function start() {
  const app = create();
  app.use(log);
  app.listen(port);
  return app;
}

export function stop(app) {
  app.close();
}
