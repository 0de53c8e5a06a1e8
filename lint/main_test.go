package lint

import _ "assay/tests/whole" // the tests make and judge hundreds of small bundles: its collector runs less often
