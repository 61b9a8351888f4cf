// What scatter.js of the package uses of three.js; the rest is left out of the bundle.
export {
  BufferAttribute,
  BufferGeometry,
  DataTexture,
  LinearFilter,
  LinearMipmapLinearFilter,
  LinearSRGBColorSpace,
  MOUSE,
  OrthographicCamera,
  Points,
  PointsMaterial,
  Raycaster,
  Scene,
  TOUCH,
  Vector2,
  WebGLRenderer,
} from "three";
export { MapControls } from "three/addons/controls/MapControls.js";
