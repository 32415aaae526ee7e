#include "services/model/catalog_tables.h"

namespace regressd::model {
namespace {

constexpr auto kKilobytes = SortedNames({
    "Active",
    "Active(anon)",
    "Active(file)",
    "AnonHugePages",
    "AnonPages",
    "Balloon",
    "Bounce",
    "Buffers",
    "Cached",
    "CmaFree",
    "CmaTotal",
    "CommitLimit",
    "Committed_AS",
    "DirectMap1G",
    "DirectMap2M",
    "DirectMap4M",
    "DirectMap4k",
    "Dirty",
    "EarlyMemtestBad",
    "FileHugePages",
    "FilePages",
    "FilePmdMapped",
    "HardwareCorrupted",
    "HighFree",
    "HighTotal",
    "Hugepagesize",
    "Hugetlb",
    "Inactive",
    "Inactive(anon)",
    "Inactive(file)",
    "KReclaimable",
    "KernelStack",
    "LowFree",
    "LowTotal",
    "Mapped",
    "MemAvailable",
    "MemFree",
    "MemTotal",
    "MemUsed",
    "Memused",
    "Mlocked",
    "NFS_Unstable",
    "PageTables",
    "Percpu",
    "Quicklists",
    "SReclaimable",
    "SUnreclaim",
    "SecPageTables",
    "ShadowCallStack",
    "Shmem",
    "ShmemHugePages",
    "ShmemPmdMapped",
    "Slab",
    "SwapCached",
    "SwapFree",
    "SwapTotal",
    "Unaccepted",
    "Unevictable",
    "VmallocChunk",
    "VmallocTotal",
    "VmallocUsed",
    "Writeback",
    "WritebackTmp",
    "Zswap",
    "Zswapped",
});

constexpr auto kHugePages = SortedNames({
    "HugePages_Free",
    "HugePages_Rsvd",
    "HugePages_Surp",
    "HugePages_Total",
});

}  // namespace

CatalogEntry LookupMeminfo(std::string_view name) {
  CatalogEntry entry{.known = true, .unit = "kB", .kind = MetricKind::kGauge, .min_level = 1000};
  if (HasName(kKilobytes, name)) return entry;
  if (HasName(kHugePages, name)) {
    entry.unit = "";
    entry.min_level = 1;
  } else if (name == "max_used_kB") {
    entry.reduction = Reduction::kMax;
  } else {
    entry.known = false;
  }
  return entry;
}

}  // namespace regressd::model
