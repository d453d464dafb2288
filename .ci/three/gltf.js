// The parts of three.js that read models: pages that show one load them, beside three.js.
export { GLTFLoader } from "./jsm/loaders/GLTFLoader.js";
export { clone } from "./jsm/utils/SkeletonUtils.js";
