rootProject.name = "madang-junit"
