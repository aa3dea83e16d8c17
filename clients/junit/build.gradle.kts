plugins {
  `java-library`
  `maven-publish`
}

group = "madang"
version = "0.1.0"

repositories { mavenCentral() }

dependencies {
  // The only dependency. The test that uses the kit chooses the version, from 5.9.
  api("org.junit.jupiter:junit-jupiter-api:5.9.2")
  testImplementation("org.junit.jupiter:junit-jupiter:5.9.2")
  testImplementation("org.junit.platform:junit-platform-launcher:1.9.2")
}

java { withSourcesJar() }

tasks.withType<JavaCompile>().configureEach {
  options.release.set(11)
  options.encoding = "UTF-8"
}

tasks.jar { manifest { attributes("Automatic-Module-Name" to "madang.testing") } }

tasks.test { useJUnitPlatform { excludeTags("fixture") } }

publishing { publications { create<MavenPublication>("kit") { from(components["java"]) } } }
